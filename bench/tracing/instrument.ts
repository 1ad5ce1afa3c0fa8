import { parseSync } from 'oxc-parser'

/** A function of the service's code. */
export type TracedFunction = { file: string; name: string; line: number }

/** The function that instrumented code calls on entering a function, with the function's number. */
export const enterFunction = 'enterTracedFunction'

type Node = { type: string; start: number; end: number; [key: string]: unknown }
type Insertion = { at: number; text: string }

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
const memberTypes = new Set(['Property', 'MethodDefinition', 'PropertyDefinition'])

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const readIdentifier = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined
  const text = node.name ?? node.value
  return typeof text === 'string' ? text : undefined
}

/** The position of a node: its parent, and the class around it. */
type Place = { parent?: Node; className?: string | undefined }

/** The name by which a function is known: its own, its variable's, or its member's. Callbacks have none. */
const findName = (node: Node, { parent, className }: Place): string | undefined => {
  const own = readIdentifier(node.id)
  if (own !== undefined || parent === undefined) return own
  if (parent.type === 'VariableDeclarator') return readIdentifier(parent.id)
  if (!memberTypes.has(parent.type) || parent.value !== node) return undefined
  const name = readIdentifier(parent.key)
  return name === undefined || className === undefined ? name : `${className}.${name}`
}

const recordEntry = (body: Node, number: number): Insertion[] =>
  body.type === 'BlockStatement'
    ? [{ at: body.start + 1, text: `${enterFunction}(${number});` }]
    : [
        { at: body.start, text: `(${enterFunction}(${number}),` },
        { at: body.end, text: ')' },
      ]

const insertAll = (source: string, insertions: readonly Insertion[]): string => {
  const parts: string[] = []
  let from = 0
  for (const { at, text } of insertions.toSorted((one, other) => one.at - other.at)) {
    parts.push(source.slice(from, at), text)
    from = at
  }
  return parts.join('') + source.slice(from)
}

/**
 * Makes every named function of a TypeScript file note that it was entered. `register` numbers the functions. Lines stay
 * where they are.
 */
export const instrument = (source: string, file: string, register: (traced: TracedFunction) => number): string => {
  const { program, errors } = parseSync(file, source, { lang: 'ts' })
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`)
  const insertions: Insertion[] = []
  const addEntry = (node: Node, place: Place): void => {
    const name = findName(node, place)
    if (name === undefined || !isNode(node.body)) return
    const line = source.slice(0, node.start).split('\n').length
    insertions.push(...recordEntry(node.body, register({ file, name, line })))
  }
  const visit = (value: unknown, place: Place): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, place)
    if (!isNode(value)) return
    if (functionTypes.has(value.type)) addEntry(value, place)
    const className = value.type === 'ClassDeclaration' ? readIdentifier(value.id) : place.className
    for (const child of Object.values(value)) visit(child, { parent: value, className })
  }
  visit(program, {})
  return insertAll(source, insertions)
}
