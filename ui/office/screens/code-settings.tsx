/** The content of a QR code on a board: a text or address, or the link of a board or playlist. */
import { t } from '#ui/languages/texts.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { Choice, Field, LoopbackHint } from '#ui/office/base/parts.tsx';
import { usePolled } from '#ui/office/base/use.ts';
import type { SettingsProps } from './tile-query.ts';

interface Share {
  readonly kind: string;
  readonly object_id: string;
}

export function CodeSettings({ session, tile, offers, onTile }: SettingsProps) {
  const share = tile.params.share as Share | undefined;
  const lists = usePolled(
    async (signal) => ({
      playlist: (await readAll(session, 'playlists_list', { order: 'asc' }, signal)).items,
      dashboard: (await readAll(session, 'dashboards_list', { order: 'asc' }, signal)).items,
    }),
    60_000,
    [session],
    ['playlist', 'dashboard'],
  );
  const shown = [
    ...(lists.data?.playlist ?? []).map(
      ({ id, name }) => [`playlist ${id}`, t('{name} (playlist)', { name })] as const,
    ),
    ...(lists.data?.dashboard ?? []).map(({ id, name }) => [`dashboard ${id}`, t('{name} (board)', { name })] as const),
    ...offers.machines.map(({ id, unit_number }) => [`equipment ${id}`, unit_number] as const),
  ];
  const value = share === undefined ? '' : `${share.kind} ${share.object_id}`;
  const isListed = value === '' || shown.some(([one]) => one === value);
  return (
    <>
      <Choice
        label={t('The code opens')}
        value={value}
        options={[
          ['', t('A text or an address')],
          ...(isListed ? [] : [[value, t('What is selected now')] as const]),
          ...shown,
        ]}
        onValue={(next) => {
          const [kind, object_id] = next.split(' ');
          onTile({ ...tile, params: next === '' ? { text: `${location.origin}/` } : { share: { kind, object_id } } });
        }}
      />
      {share === undefined ? (
        <>
          <Field
            label={t('Text or address')}
            value={typeof tile.params.text === 'string' ? tile.params.text : ''}
            maxLength={800}
            onValue={(text) => onTile({ ...tile, params: { text } }, 'text')}
          />
          {String(tile.params.text ?? '').startsWith(location.origin) && <LoopbackHint />}
        </>
      ) : (
        <>
          <Field
            label={t('Words below the code')}
            value={typeof tile.params.caption === 'string' ? tile.params.caption : ''}
            maxLength={80}
            onValue={(caption) =>
              onTile({ ...tile, params: caption === '' ? { share } : { share, caption } }, 'caption')
            }
          />
          <p class="aside">{t('Everybody who scans the code opens it without a key.')}</p>
        </>
      )}
    </>
  );
}
