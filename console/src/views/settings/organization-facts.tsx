import type { Organization } from '@noema/contracts/organization.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { KeyValues } from '../../components/key-values.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { showToast } from '../../components/toast.ts'
import { manages, renameOrganization } from '../../data/organization.ts'
import { toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'

const NameForm = ({ name, onDone }: { name: string; onDone: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const form = useContractForm({
    initial: { name },
    toBody: (values) => values.name.trim(),
    submit: async (given) => {
      await renameOrganization(queries, session, given)
      showToast({ tone: 'good', title: 'Organization renamed' })
      onDone()
    },
  })
  return (
    <Form form={form} submit="Save" aside={<Button onClick={onDone}>Cancel</Button>}>
      <form.Text label="Name" name="name" required maxLength={200} pattern=".*\S.*" />
    </Form>
  )
}

/** The facts of the organization, and the person's role in it. */
export const OrganizationFacts = ({ organization }: { organization: Organization }) => {
  const { id, name, slug, createdAt, members, role } = organization
  const [isOpen, setOpen] = useState(false)
  const rename = manages(role) && !isOpen && (
    <Button size="small" onClick={() => setOpen(true)}>
      Rename
    </Button>
  )
  return (
    <Panel title="Organization" actions={rename}>
      {isOpen && <NameForm name={name} onDone={() => setOpen(false)} />}
      {!isOpen && (
        <KeyValues
          items={[
            ['Name', name],
            ['Slug', <code key="slug">{slug}</code>],
            ['Id', <CopyId key="id" id={id} />],
            ['Created', <Time key="created" iso={createdAt} />],
            [
              'Members',
              <Link key="members" to="/settings/members">
                {toAmount(members)}
              </Link>,
            ],
            ['Your role', <Badge key="role">{role ?? 'none'}</Badge>],
          ]}
        />
      )}
      {!manages(role) && <p className="muted">Only owners and admins can rename it.</p>}
    </Panel>
  )
}
