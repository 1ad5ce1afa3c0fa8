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

/** A pattern in the form in which URLs have their paths. */
const toPattern = (value: string): string => {
  try {
    return encodeURI(value).replaceAll('%25', '%').slice(0, maxPatternLength)
  } catch {
    return value.slice(0, maxPatternLength)
  }
}

/** The rules of a robots.txt for a program by its name, or those for all programs if none name it. */
export const parseRobots = (text: string, program: string): RobotsRules => {
  const groups = { own: [] as Rule[], every: [] as Rule[] }
  let agents: string[] = []
  let [isInRules, namesOwn] = [false, false]
  for (const line of text.split(/\r\n|\r|\n/)) {
    const { name, value } = readLine(line) ?? {}
    if (name === 'user-agent' && value !== undefined) {
      if (isInRules) agents = []
      isInRules = false
      agents.push((value.split('/', 1)[0] ?? '').trim().toLowerCase())
      if (agents.includes(program)) namesOwn = true
    } else if ((name === 'allow' || name === 'disallow') && value !== undefined) {
      isInRules = true
      if (value === '') continue
      const rule = { allows: name === 'allow', pattern: toPattern(value) }
      if (agents.includes(program) && groups.own.length < maxRules) groups.own.push(rule)
      if (agents.includes('*') && groups.every.length < maxRules) groups.every.push(rule)
    }
  }
  return namesOwn ? groups.own : groups.every
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
  let best: Rule | undefined
  for (const rule of rules) {
    const { length } = rule.pattern
    const isBetter = !best || length > best.pattern.length || (length === best.pattern.length && rule.allows)
    if (isBetter && matches(rule.pattern, path)) best = rule
  }
  return best?.allows ?? true
}
