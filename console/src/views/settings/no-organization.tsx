import { baseUrl } from '../../base-path.ts'
import { Button } from '../../components/button.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { signOut } from '../../session/auth.ts'
import { rememberOrganization } from '../../session/remembered.ts'
import { MakeOrganization } from './make-organization.tsx'

/** A person without an organization creates one, or waits for an invitation. */
export const NoOrganization = () => {
  const leave = async () => {
    await signOut()
    location.assign(`${baseUrl}/sign-in`)
  }
  return (
    <main className="page narrow" id="main" tabIndex={-1}>
      <PageHeader
        title="You have no organization"
        lead="Brains belong to organizations. Create one, or open an invitation link."
      />
      <MakeOrganization onMade={rememberOrganization} aside={<Button onClick={() => void leave()}>Sign out</Button>} />
    </main>
  )
}
