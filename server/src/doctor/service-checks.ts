import { checkMailServer } from '../features/platform/mail/mail.ts'
import { createEmbedder } from '../features/retrieval/embedding/embedding.ts'
import { systemClock } from '../shared/clock.ts'
import { createLog } from '../shared/log.ts'
import { type Finding, failed, isOk, type Subject, toReason, warns } from './finding.ts'

/** Whether mail can be sent. Nothing is. */
export const checkMail = async ({ config }: Subject): Promise<Finding> => {
  if (config.smtpUrl === undefined)
    return warns(
      'Mail',
      'No mail is sent: confirmations and invitations are only logged.',
      'Set NOEMA_SMTP_URL and NOEMA_MAIL_FROM.',
    )
  const { hostname } = new URL(config.smtpUrl)
  try {
    await checkMailServer(config.smtpUrl)
    return isOk('Mail', `${hostname} takes mail.`)
  } catch (error) {
    return failed(
      'Mail',
      `${hostname} cannot be used: ${toReason(error)}`,
      'Check NOEMA_SMTP_URL: its host, port, user and password.',
    )
  }
}

/** Whether texts can be embedded: one is. */
export const checkEmbeddings = async ({ config }: Subject): Promise<Finding> => {
  const embedder = createEmbedder(config.embeddings, { clock: systemClock, log: createLog('silent') })
  if (embedder === undefined) return isOk('Embeddings', 'They are off: search finds by words alone.')
  const isBuiltIn = config.embeddings === 'local'
  try {
    const { vectors } = await embedder.embed(['a short text'], 'now')
    const which = isBuiltIn ? 'The built-in model' : 'The endpoint'
    return isOk('Embeddings', `${which} works (${vectors[0]?.length ?? 0} dimensions).`)
  } catch (error) {
    const fix = isBuiltIn
      ? 'Install again without --omit=optional, or set NOEMA_EMBEDDINGS_URL, or NOEMA_EMBEDDINGS=off.'
      : 'Check NOEMA_EMBEDDINGS_URL, NOEMA_EMBEDDINGS_MODEL and NOEMA_EMBEDDINGS_API_KEY.'
    return failed('Embeddings', `Texts cannot be embedded: ${toReason(error)}`, fix)
  } finally {
    await embedder.close()
  }
}
