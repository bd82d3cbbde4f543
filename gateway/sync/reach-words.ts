/** Why head office could not be reached, in words for the person who connects a site. */
import { say, type ToldText } from '#contract/base/told.ts';

const NAME =
  'The name in this address is not known here. Compare the address, and check that this gateway has a network connection.';
const SILENT =
  'No answer came from this address. Compare the address, and check that a firewall lets this gateway call it.';
const UNTRUSTED =
  'The certificate at this address is not trusted here, so this site sends nothing to it. If head office has a certificate of your own authority, start this gateway with NODE_EXTRA_CA_CERTS=/path/of/ca.pem.';

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: NAME,
  EAI_AGAIN: NAME,
  ECONNREFUSED: 'Nothing answers at this address. Compare the address and its port, and check that head office runs.',
  ETIMEDOUT: SILENT,
  EHOSTUNREACH: SILENT,
  ENETUNREACH: 'This gateway has no network connection now.',
  ECONNRESET: 'The connection broke before an answer came. Try again.',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_HAS_EXPIRED: 'The certificate of head office has expired. The people of head office must renew it.',
  CERT_NOT_YET_VALID:
    'The certificate of head office is not valid yet. Check the date and the time of this gateway and of head office.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'The certificate at this address is for another name. Use the name in the certificate, or renew the certificate.',
  EPROTO: 'The other side does not speak TLS at this address. Compare the port: https has another port than http.',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'The other side does not speak TLS at this address. Compare the port: https has another port than http.',
};

/** Returns the reason in words; the code itself is at the end, for a person who searches for it. */
export function reachWords(code: string, url: string): ToldText {
  return [
    say('Head office cannot be reached at {url}.', { url }),
    say(WORDS[code] ?? 'The connection failed.'),
    say('({code})', { code }),
  ];
}
