// Anyone can register an app under any name. These checks find names that a person may take for another app's.

/** Well-known apps, with the domains that they redirect to. A program on the person's own machine may be any of them. */
const wellKnown: Readonly<Record<string, readonly string[]>> = {
  claude: ['claude.ai', 'claude.com', 'anthropic.com'],
  chatgpt: ['chatgpt.com', 'openai.com'],
  gemini: ['google.com'],
  copilot: ['microsoft.com', 'github.com', 'vscode.dev'],
  cursor: ['cursor.com', 'cursor.sh'],
  'visual studio code': ['vscode.dev', 'microsoft.com'],
  perplexity: ['perplexity.ai'],
  mistral: ['mistral.ai'],
}

/** Letters of other alphabets, and digits, that look like a Latin letter. */
const twins: Readonly<Record<string, string>> = {
  ...{ а: 'a', в: 'b', е: 'e', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p', с: 'c', т: 't', у: 'y', х: 'x', і: 'i', ј: 'j' },
  ...{ ѕ: 's', ԁ: 'd', ԛ: 'q', ԝ: 'w', ӏ: 'l', α: 'a', ε: 'e', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u' },
  ...{ χ: 'x', ı: 'i', ɡ: 'g', ⅼ: 'l', 0: 'o', 1: 'l', 3: 'e', 4: 'a', 5: 's', 7: 't' },
}

/** Reduces a name to its look: the same text for names that a quick reader takes for one. */
const toSkeleton = (name: string): string =>
  [...name.normalize('NFKD').toLowerCase()]
    .map((letter) => twins[letter] ?? letter)
    .filter((letter) => /[\p{L}\p{N}]/u.test(letter))
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('i', 'l')

const alphabets = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u]

const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`)

type Named = { name: string; hosts: readonly string[] }

export type LookAlike =
  | { kind: 'mixed_alphabets' }
  | { kind: 'well_known'; name: string; host: string }
  | { kind: 'connected'; name: string; host: string }

/** Finds the apps that a name may be taken for: well-known ones, and those that are already let in. */
export const findLookAlikes = (
  { name, hosts, isOnThisMachine }: Named & { isOnThisMachine: boolean },
  connected: readonly Named[],
): LookAlike[] => {
  const found: LookAlike[] = []
  if (alphabets.filter((letters) => letters.test(name)).length > 1) found.push({ kind: 'mixed_alphabets' })
  const skeleton = toSkeleton(name)
  const words = name.split(/[\s_-]+/).map(toSkeleton)
  const claims = (other: string) => skeleton.startsWith(toSkeleton(other)) || words.includes(toSkeleton(other))
  const known = Object.entries(wellKnown).find(
    ([other, domains]) =>
      claims(other) && !isOnThisMachine && !hosts.every((host) => domains.some((domain) => isWithin(host, domain))),
  )
  if (known) found.push({ kind: 'well_known', name: known[0], host: known[1][0] ?? '' })
  const other = connected.find(
    (one) => toSkeleton(one.name) === skeleton && !one.hosts.some((host) => hosts.includes(host)),
  )
  if (other) found.push({ kind: 'connected', name: other.name, host: other.hosts[0] ?? '' })
  return found
}
