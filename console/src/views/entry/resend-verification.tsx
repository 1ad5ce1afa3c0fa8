import { resendVerification } from '../../session/entry-calls.ts'
import { SendLink } from './send-link.tsx'

/** Sends the confirmation email again. */
export const ResendVerification = ({ email }: { email: string }) => (
  <SendLink label="Send a new link" send={() => resendVerification(email)} />
)
