import { setImmediate } from 'node:timers/promises'
import { type ApiError, validation } from '../../../shared/errors.ts'
import { type Match, matchPatterns } from './patterns.ts'

// Credentials in content: keys, tokens and passwords that agents store by accident. Answers name the field and the kind of
// credential, never the credential.

/** A credential in a value: the path of the text that has it. Names that are credentials themselves are left out. */
export type FoundCredential = { path: string[]; credential: string }

/** Characters that are examined before others have their turn on the thread. */
const charactersAtOnce = 25_000
/** Characters that two parts of a long text share, so that a key on their border is found. */
const overlap = 5_000
/** Credentials that are reported of one value. */
const maxFound = 5

/** A piece of text that is examined, and where it is from. */
type Piece = { of: number; path: readonly string[]; text: string }

/** The texts of a value. The name of a field comes before its value, because some patterns need it. */
function* readPieces(of: number, value: unknown, path: readonly string[]): Generator<Piece> {
  if (typeof value === 'string') {
    for (let from = 0; from === 0 || from + overlap < value.length; from += charactersAtOnce - overlap)
      yield { of, path, text: `${value.slice(from, from + charactersAtOnce)}\n` }
    return
  }
  if (value === null || typeof value !== 'object') return
  for (const [name, item] of Object.entries(value)) {
    if (!Array.isArray(value)) yield { of, path, text: `${name}: ` }
    yield* readPieces(of, item, [...path, name])
  }
}

/** Pieces that are examined together, so that many short texts cost what one of their length costs. */
type Part = { pieces: (Piece & { from: number })[]; text: string }

function* toParts(values: readonly object[]): Generator<Part> {
  let part: Part = { pieces: [], text: '' }
  for (const [of, value] of values.entries())
    for (const piece of readPieces(of, value, [])) {
      if (part.text.length > 0 && part.text.length + piece.text.length > charactersAtOnce) {
        yield part
        part = { pieces: [], text: '' }
      }
      part.pieces.push({ ...piece, from: part.text.length })
      part.text += piece.text
    }
  yield part
}

/** The piece in which a match ends: a name may stand before it. */
const findPiece = ({ pieces }: Part, { to }: Match): Piece | undefined => {
  const next = pieces.findIndex(({ from }) => from >= to)
  return pieces.at(next === -1 ? -1 : next - 1)
}

/** Shortens paths to end before the first name that is a credential itself. */
const createPathFilter = () => {
  const known = new Map<string, boolean>()
  const isSecret = async (name: string): Promise<boolean> => {
    const found = known.get(name)
    if (found !== undefined) return found
    const isOne = (await matchPatterns(name)).length > 0
    known.set(name, isOne)
    await setImmediate()
    return isOne
  }
  return async (path: readonly string[]): Promise<string[]> => {
    const shown: string[] = []
    for (const name of path) {
      if (await isSecret(name)) break
      shown.push(name)
    }
    return shown
  }
}

/** Finds the credentials of each value, the first few of each. Other work of the thread has its turns in between. */
export const findCredentials = async (values: readonly object[]): Promise<FoundCredential[][]> => {
  const found: FoundCredential[][] = values.map(() => [])
  const names = new Set<string>()
  const withoutSecrets = createPathFilter()
  for (const part of toParts(values)) {
    for (const match of await matchPatterns(part.text)) {
      const piece = findPiece(part, match)
      const own = piece && found[piece.of]
      if (!own || own.length === maxFound) continue
      const path = await withoutSecrets(piece.path)
      const name = JSON.stringify([piece.of, path, match.credential])
      if (names.has(name)) continue
      names.add(name)
      own.push({ path, credential: match.credential })
    }
    await setImmediate()
  }
  return found
}

const article = (noun: string) => (/^[aeiou]/.test(noun) ? 'an' : 'a')

/** The refusal of content with credentials. It names fields and kinds of credentials. */
const toRefusal = (found: readonly { at: readonly (string | number)[]; credential: string }[]): ApiError => {
  const details = found.map(({ at, credential }) => {
    const noun = credential.replaceAll('_', ' ')
    return { path: at, message: `This looks like ${article(noun)} ${noun}. Leave it out.`, credential }
  })
  const [first] = details
  const where = first && first.path.length > 0 ? `The field ${first.path.join('.')}` : 'The content'
  return validation(
    `${where} has what looks like a credential (${first?.credential}). Leave it out, and store a reference to where it is kept.`,
    { code: 'credential', details },
  )
}

/** The refusal of a request whose values have credentials. `at`: the path of each value in the request. */
export const findRefusedCredentials = async (
  values: readonly { at: readonly (string | number)[]; value: object }[],
): Promise<ApiError | undefined> => {
  const found = await findCredentials(values.map(({ value }) => value))
  const all = found.flatMap((own, index) =>
    own.map(({ path, credential }) => ({ at: [...(values[index]?.at ?? []), ...path], credential })),
  )
  return all.length > 0 ? toRefusal(all.slice(0, 20)) : undefined
}
