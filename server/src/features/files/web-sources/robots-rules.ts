// robots.txt (RFC 9309): which paths of a site a program may fetch.

/** A rule for paths: `*` stands for any characters, `$` for the end. */
type Rule = { allows: boolean; pattern: string }

/** The rules of a site for one program. */
export type RobotsRules = readonly Rule[]

const maxRules = 1_000
const maxPatternLength = 500

/** The name and value of a line; undefined for comments and anything else. */
const readLine = (line: string): { name: string; value: string } | undefined => {
  const [text = ''] = line.split('#', 1)
  const colon = text.indexOf(':')
  if (colon < 0) return undefined
  return { name: text.slice(0, colon).trim().toLowerCase(), value: text.slice(colon + 1).trim() }
}

/** A path or a pattern with its signs encoded in one way: URLs leave some as they are, and may encode any. */
const normalizePath = (text: string): string =>
  encodeURI(text.toWellFormed())
    .replaceAll('%25', '%')
    .replaceAll(/%[0-9a-f]{2}/gi, (octet) => {
      const sign = String.fromCharCode(Number.parseInt(octet.slice(1), 16))
      return /[\w.~-]/.test(sign) ? sign : octet.toUpperCase()
    })

/** Rules, and the programs that they are for. */
type Group = { agents: string[]; rules: Rule[] }

const toRule = (name: string, value: string): Rule => ({
  allows: name === 'allow',
  pattern: normalizePath(value).slice(0, maxPatternLength),
})

/** The groups of a robots.txt, as far as their rules are for a program or for all. */
const readGroups = (text: string, program: string): Group[] => {
  const groups: Group[] = []
  let isInRules = true
  for (const line of text.split(/\r\n|\r|\n/)) {
    const { name = '', value = '' } = readLine(line) ?? {}
    const last = groups.at(-1)
    if (name === 'user-agent') {
      const agent = (value.split('/', 1)[0] ?? '').trim().toLowerCase()
      if (last && !isInRules) last.agents.push(agent)
      else groups.push({ agents: [agent], rules: [] })
      isInRules = false
    } else if (last && (name === 'allow' || name === 'disallow')) {
      isInRules = true
      const isMeant = last.agents.includes(program) || last.agents.includes('*')
      if (value !== '' && isMeant && last.rules.length < maxRules) last.rules.push(toRule(name, value))
    }
  }
  return groups
}

/** The rules of a robots.txt for a program by its name, or those for all programs if none name it. */
export const parseRobots = (text: string, program: string): RobotsRules => {
  const groups = readGroups(text, program)
  const findGroups = (agent: string) => groups.filter(({ agents }) => agents.includes(agent))
  const own = findGroups(program)
  return (own.length > 0 ? own : findGroups('*')).flatMap(({ rules }) => rules).slice(0, maxRules)
}

/** Checks whether a pattern describes a path, in time that grows with their lengths alone. */
const matches = (pattern: string, path: string): boolean => {
  const isWhole = pattern.endsWith('$')
  const [first = '', ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  if (!path.startsWith(first)) return false
  const last = parts.pop()
  if (last === undefined) return !isWhole || path.length === first.length
  let at = first.length
  for (const part of parts) {
    const found = path.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  if (isWhole) return path.length - last.length >= at && path.endsWith(last)
  return path.indexOf(last, at) >= 0
}

/** Checks whether the rules allow a path with its query: the longest rule that describes it decides. */
export const allowsPath = (rules: RobotsRules, path: string): boolean => {
  const normalized = normalizePath(path)
  let best: Rule | undefined
  for (const rule of rules) {
    const { length } = rule.pattern
    const isBetter = !best || length > best.pattern.length || (length === best.pattern.length && rule.allows)
    if (isBetter && matches(rule.pattern, normalized)) best = rule
  }
  return best?.allows ?? true
}
