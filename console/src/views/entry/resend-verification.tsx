import { resendVerification } from '../../session/entry-calls.ts'
import { SendLink } from './send-link.tsx'

/** Mails the confirming link once more. */
export const ResendVerification = ({ email }: { email: string }) => (
  <SendLink label="Send a new link" send={() => resendVerification(email)} />
)
