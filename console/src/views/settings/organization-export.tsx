import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { Panel } from '../../components/panel.tsx'
import { type Role, toSlug } from '../../data/organization.ts'
import { saveLines } from '../../data/save-lines.ts'
import { startLongWork } from '../../session/long-work.ts'
import { useSession } from '../../session/session.tsx'

/** Exports the whole organization as one file, in the background. */
export const OrganizationExport = ({ role }: { role: Role | null }) => {
  const { organization } = useSession()
  const [hasHistory, setHistory] = useState(false)
  const start = () =>
    void startLongWork({
      name: `Export of ${organization.name}`,
      run: (reach) =>
        saveLines({
          ...reach,
          path: `/v1/organization/export${hasHistory ? '?history=true' : ''}`,
          organizationId: organization.id,
          fileName: `${toSlug(organization.name) || 'organization'}-${new Date().toISOString().slice(0, 10)}.ndjson`,
          ending: '{"end"',
        }),
    })
  return (
    <Panel title="Export">
      <p>
        One file with members, schemas, agents, the audit log and each Brain. You can import the lines of a Brain. The
        file has no runs, conversations or secrets.
      </p>
      {role === 'owner' ? (
        <>
          <Checkbox label="Include all earlier versions" checked={hasHistory} onChange={setHistory} />
          <div className="actions">
            <Button icon="download" onClick={start}>
              Export organization
            </Button>
          </div>
        </>
      ) : (
        <p className="muted">Only an owner can export the whole organization. You can export each of its Brains.</p>
      )}
    </Panel>
  )
}
