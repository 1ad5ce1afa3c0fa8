import { Shell } from './account/shell.tsx'
import type { Route } from './routes.ts'
import type { User } from './session/auth.ts'
import { WorkspaceProvider } from './session/workspace.tsx'
import { BrainPage } from './views/brain.tsx'
import { Brains } from './views/brains.tsx'
import { Keys } from './views/keys.tsx'
import { Start } from './views/start.tsx'

const Page = ({ route }: { route: Route }) => {
  if (route.view === 'keys') return <Keys />
  if (route.view === 'brains') return <Brains />
  if (route.view === 'brain') return <BrainPage key={route.handle} handle={route.handle} />
  return <Start />
}

/** Every page behind the sign-in. */
const SignedInPages = ({ route, user }: { route: Route; user: User }) => (
  <WorkspaceProvider user={user}>
    <Shell route={route}>
      <Page route={route} />
    </Shell>
  </WorkspaceProvider>
)

// biome-ignore lint/style/noDefaultExport: React's lazy takes a default export
export default SignedInPages
