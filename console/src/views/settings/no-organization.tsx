import { baseUrl } from '../../base-path.ts'
import { Button } from '../../components/button.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { signOut } from '../../session/auth.ts'
import { rememberOrganization } from '../../session/remembered.ts'
import { MakeOrganization } from './make-organization.tsx'

/** Whoever belongs to no organization makes one, or waits for an invitation. */
export const NoOrganization = () => {
  const leave = async () => {
    await signOut()
    location.assign(`${baseUrl}/sign-in`)
  }
  return (
    <main className="page narrow" id="main" tabIndex={-1}>
      <PageHeader
        title="You belong to no organization"
        lead="Brains belong to organizations. Make one, or open the link of an invitation."
      />
      <MakeOrganization onMade={rememberOrganization} aside={<Button onClick={() => void leave()}>Sign out</Button>} />
    </main>
  )
}
