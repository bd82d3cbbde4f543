/** The content of a QR code on a board: a text or address, or the link of a board or playlist. */
import { said, t } from '#ui/languages/texts.ts';
import { Choice, Field, LoopbackHint } from '#ui/office/base/parts.tsx';
import { sharedBy } from './tile-kinds.ts';
import { goneIn, type SettingsProps } from './tile-query.ts';

export function CodeSettings({ session, tile, offers, codes, onTile }: SettingsProps) {
  const share = sharedBy(tile);
  const shown = [
    ...(codes?.playlist ?? []).map(({ id, name }) => [`playlist ${id}`, t('{name} (playlist)', { name })] as const),
    ...(codes?.dashboard ?? []).map(({ id, name }) => [`dashboard ${id}`, t('{name} (board)', { name })] as const),
    ...offers.machines.map(({ id, unit_number }) => [`equipment ${id}`, unit_number] as const),
  ];
  const value = share === undefined ? '' : `${share.kind} ${share.object_id}`;
  const isGone = share !== undefined && goneIn(codes)(share);
  const opened = [...(codes?.playlist ?? []), ...(codes?.dashboard ?? [])].find(({ id }) => id === share?.object_id);
  // Head office does not know the links of a site.
  const hasNoLink = session.role !== 'cloud' && opened !== undefined && opened.link_status !== 'active';
  const isListed = value === '' || shown.some(([one]) => one === value);
  return (
    <>
      <Choice
        label={t('The code opens')}
        value={value}
        options={[
          ['', t('A text or an address')],
          ...(isListed
            ? []
            : [[value, isGone ? t('What was selected was deleted') : t('What is selected now')] as const]),
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
          {hasNoLink ? (
            <p class="waiting">
              {said('It has no open link, so screens show no code here. Open its link on the page {screens}.', {
                screens: <a href="#screens">{t('Screens')}</a>,
              })}
            </p>
          ) : (
            !isGone && <p class="aside">{t('Everybody who scans the code opens it without a key.')}</p>
          )}
        </>
      )}
    </>
  );
}
