import { toSize } from '@noema/contracts/sizes.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { runFilesQuery, toFileName } from '../../data/files.ts'
import { useSession } from '../../session/session.tsx'

/** The files that a run wrote. `written`: how many calls wrote so far, by which the list is read again. */
export const RunFiles = ({ runId, written }: { runId: string; written: number }) => {
  const { data, error } = useQuery(runFilesQuery(useSession(), runId, written))
  return (
    <Panel title="Files">
      <FailureNotice error={error} />
      <ul>
        {data?.artifacts.map(({ id, path, version, bytes }) => (
          <li key={id}>
            <Link to="/files" search={{ file: id }} title={path}>
              {toFileName(path)}
            </Link>{' '}
            <span className="muted">
              version {version}, {toSize(bytes)}
            </span>
          </li>
        ))}
      </ul>
      {data?.hasMore && <p className="muted">These are the first {data.artifacts.length}.</p>}
    </Panel>
  )
}
