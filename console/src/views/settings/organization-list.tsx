import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Panel } from '../../components/panel.tsx'
import { useSession } from '../../session/session.tsx'
import { MakeOrganization } from './make-organization.tsx'

/** The organizations of the person. Switches to another one, or creates one. */
export const OrganizationList = () => {
  const { organization, organizations, chooseOrganization } = useSession()
  const navigate = useNavigate()
  const [isMaking, setMaking] = useState(false)
  const choose = (id: string) => {
    chooseOrganization(id)
    void navigate({ to: '/settings/organization' })
  }
  return (
    <Panel
      title="Your organizations"
      actions={
        <Button size="small" icon="plus" onClick={() => setMaking(true)}>
          New organization
        </Button>
      }
    >
      <ul className="lines">
        {organizations.map(({ id, name }) => (
          <li key={id}>
            <strong className="line-main">{name}</strong>
            {id === organization.id ? (
              <Badge tone="accent">Current</Badge>
            ) : (
              <Button size="small" tone="quiet" aria-label={`Switch to ${name}`} onClick={() => choose(id)}>
                Switch
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Dialog isOpen={isMaking} title="New organization" onClose={() => setMaking(false)} size="small">
        <MakeOrganization
          onMade={(id) => {
            setMaking(false)
            choose(id)
          }}
          aside={<Button onClick={() => setMaking(false)}>Cancel</Button>}
        />
      </Dialog>
    </Panel>
  )
}
