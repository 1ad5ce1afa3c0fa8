import { Button, IconButton } from '../components/button.tsx'
import { Progress } from '../components/progress.tsx'
import { useObservable } from '../observable.ts'
import { cancelWork, closeWork } from '../session/long-work.ts'
import { works as allWorks, type Work } from '../session/works.ts'

const WorkCard = ({ work }: { work: Work }) => {
  const { id, name, state, done, total, text, failure } = work
  return (
    <li className="toast" data-tone={state === 'failed' ? 'danger' : undefined}>
      <div className="work">
        <p className="toast-title">{name}</p>
        {state === 'running' && (
          <Progress label={text ?? 'In progress'} {...(total !== undefined && { value: done ?? 0, max: total })} />
        )}
        {state !== 'running' && <p>{failure ?? text ?? (state === 'done' ? 'Done.' : 'Cancelled.')}</p>}
      </div>
      {state === 'running' ? (
        <Button size="small" onClick={() => cancelWork(id)}>
          Cancel
        </Button>
      ) : (
        <IconButton icon="close" label="Dismiss" onClick={() => closeWork(id)} />
      )}
    </li>
  )
}

/** Background work: exports, imports, uploads. */
export const WorkTray = () => {
  const works = useObservable(allWorks)
  return (
    <section className="work-tray" aria-label="In progress" aria-live="polite">
      <ol>
        {works.map((work) => (
          <WorkCard key={work.id} work={work} />
        ))}
      </ol>
    </section>
  )
}
