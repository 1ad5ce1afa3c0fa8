// Removes credentials from texts before they leave this machine: tokens of well-known shapes, private keys, passwords in
// addresses, and values that are assigned to names such as `password`. docs/coding-agents.md lists them.

type Shape = { name: string; pattern: RegExp; replace?: (match: string, ...groups: string[]) => string }

const shapes: readonly Shape[] = [
  {
    name: 'private key',
    pattern: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-]{0,20000}(?:-----END [A-Z0-9 ]{0,40}-----)?/g,
  },
  { name: 'AWS key', pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g },
  { name: 'GitHub token', pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\w{30,255})/g },
  { name: 'GitLab token', pattern: /\bgl(?:pat|dt|ptt|rt|oas|soat|ft)-[\w.-]{16,300}/g },
  { name: 'Slack token', pattern: /\bxox[a-z]-[\w-]{10,250}|\bxapp-[\w-]{10,250}/g },
  {
    name: 'webhook address',
    pattern: /\bhttps:\/\/(?:hooks\.slack\.com\/services|discord(?:app)?\.com\/api\/webhooks)\/[\w/-]{10,200}/g,
  },
  { name: 'Google key', pattern: /\bAIza[\w-]{35}|\bGOCSPX-[\w-]{20,60}|\bya29\.[\w-]{20,2000}/g },
  { name: 'Stripe key', pattern: /\b[srp]k_(?:live|test)_[A-Za-z0-9]{10,250}/g },
  { name: 'signing secret', pattern: /\bwhsec_[A-Za-z0-9+/=]{16,250}/g },
  {
    name: 'API key',
    pattern: /\bsk-[\w-]{20,300}|\bhf_[A-Za-z0-9]{20,100}|\bgsk_[A-Za-z0-9]{20,100}|\bxai-[A-Za-z0-9]{20,200}/g,
  },
  { name: 'Noema key', pattern: /\b(?:n[sb]k|nat)_\w{20,100}/g },
  { name: 'npm token', pattern: /\bnpm_[A-Za-z0-9]{30,100}/g },
  { name: 'PyPI token', pattern: /\bpypi-[\w-]{40,400}/g },
  { name: 'SendGrid key', pattern: /\bSG\.[\w-]{16,40}\.[\w-]{16,80}/g },
  { name: 'DigitalOcean token', pattern: /\bdo[opr]_v1_[a-f0-9]{40,80}/g },
  { name: 'JSON Web Token', pattern: /\beyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{0,2000}/g },
  {
    ...{ name: 'credential', pattern: /\b(Bearer|Basic|Token)\s+([\w.~+/=-]{16,4000})/g },
    replace: (_match, scheme) => `${scheme} [credential removed]`,
  },
  {
    ...{ name: 'password', pattern: /\b([a-z][a-z0-9+.-]{1,30}:\/\/[^\s:/@]{0,200}):[^\s@/]{1,500}@/gi },
    replace: (_match, before) => `${before}:[password removed]@`,
  },
  {
    name: 'secret',
    pattern:
      /\b([\w-]{0,60}(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)["']?\s{0,3}(?:=>|[:=])\s{0,3})(?!\[)("[^"\n]{6,2000}"|'[^'\n]{6,2000}'|[^\s"',;(){}[\]<>]{8,2000})/gi,
    replace: (_match, name) => `${name}[secret removed]`,
  },
]

/** A text without the credentials in it; each is replaced by its kind. */
export const redact = (text: string): string => {
  let redacted = text
  for (const { name, pattern, replace } of shapes)
    redacted = redacted.replaceAll(pattern, replace ?? (() => `[${name} removed]`))
  return redacted
}
