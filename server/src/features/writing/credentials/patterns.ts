import type { rules as creators } from '@secretlint/secretlint-rule-preset-recommend'

// The patterns of secretlint, run without its engine: that one logs what it reads, and obeys comments that switch it off.

/** A match: the name of the kind of credential, and where it is in the text. Never the credential itself. */
export type Match = { credential: string; from: number; to: number }

type Found = { message: { messageId: string }; range: readonly [number, number] }

/** The parts of a rule's contract that are used here. */
type Rule = {
  meta: { type: string; id: string }
  create(
    context: {
      createTranslator(): (messageId: string) => { messageId: string }
      report(found: Found): void
      ignore(): void
      sharedOptions: object
      locale: 'en'
    },
    options: object,
  ): { file?(source: object): void | Promise<void> }
}

let loading: Promise<readonly Rule[]> | undefined

/** Loads the patterns when they are used first: a service that has nothing to examine keeps the memory. */
const loadRules = (): Promise<readonly Rule[]> => {
  loading ??= import('@secretlint/secretlint-rule-preset-recommend').then(({ rules }) => {
    const all: typeof creators & readonly Rule[] = rules
    // Its comments would let a text exempt itself.
    return all.filter(({ meta }) => !meta.id.endsWith('filter-comments'))
  })
  return loading
}

/** `BasicAuth` and `GITHUB_TOKEN` as `basic_auth` and `github_token`. */
const toName = (messageId: string): string => messageId.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase()

/** Finds the credentials of a text. */
export const matchPatterns = async (content: string): Promise<Match[]> => {
  const found: Match[] = []
  const context = {
    createTranslator: () => (messageId: string) => ({ messageId }),
    report: ({ message, range: [from, to] }: Found) =>
      void found.push({ credential: toName(message.messageId), from, to }),
    ignore: () => undefined,
    sharedOptions: {},
    locale: 'en' as const,
  }
  const source = { content, filePath: undefined, ext: '', contentType: 'text', hasBOM: false }
  for (const rule of await loadRules()) await rule.create(context, {}).file?.(source)
  return found
}
