import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../components/dialog.tsx'
import { resumeSession } from '../session/ended-session.ts'
import { useSession } from '../session/session.tsx'
import { SignInAgain } from '../views/entry/sign-in-again.tsx'

/** Asks to sign in again in front of the page, which keeps its content. */
export const SignedOutDialog = () => {
  const { user } = useSession()
  const queries = useQueryClient()
  const resume = async () => {
    resumeSession()
    await queries.invalidateQueries()
  }
  return (
    <Dialog
      isOpen
      isForgetful
      title="You are signed out"
      description={`Sign in as ${user.email} to go on. The page keeps what you typed.`}
      size="small"
      onClose={resumeSession}
    >
      <SignInAgain email={user.email} onDone={resume} />
    </Dialog>
  )
}
