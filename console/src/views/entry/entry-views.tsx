import { AcceptInvitation } from './accept-invitation.tsx'
import { Authorize } from './authorize.tsx'
import { ForgotPassword } from './forgot-password.tsx'
import { NotFound } from './not-found.tsx'
import { RequestAccess } from './request-access.tsx'
import { ResetPassword } from './reset-password.tsx'
import { SignIn } from './sign-in.tsx'
import { SignUp } from './sign-up.tsx'

const views: Readonly<Record<string, typeof SignIn>> = {
  '/sign-in': SignIn,
  '/sign-up': SignUp,
  '/forgot-password': ForgotPassword,
  '/request-access': RequestAccess,
  '/reset-password': ResetPassword,
  '/accept-invitation': AcceptInvitation,
  '/authorize': Authorize,
}

/** One of the pages before the sign-in. */
export const EntryViews = ({ path }: { path: string }) => {
  const View = views[path] ?? NotFound
  return <View />
}
