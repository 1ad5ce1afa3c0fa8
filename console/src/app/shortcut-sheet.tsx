import { Dialog } from '../components/dialog.tsx'
import { Kbd } from '../components/kbd.tsx'
import { listPlaces } from '../navigation.ts'
import { useSession } from '../session/session.tsx'

const everywhere = [
  ['Mod+K', 'Go to a page, a Brain or an agent'],
  ['/', 'Search'],
  ['?', 'This sheet'],
] as const

const lists = [
  ['j', 'The next row'],
  ['k', 'The row before'],
  ['Enter', 'Open it'],
  ['x', 'Tick it'],
  ['Esc', 'Close what is open'],
] as const

type Entry = readonly [keys: string, told: string]

const Part = ({ title, entries }: { title: string; entries: readonly Entry[] }) => (
  <section>
    <h3>{title}</h3>
    <dl className="shortcuts">
      {entries.map(([keys, told]) => (
        <div key={keys}>
          <dt>
            <Kbd keys={keys} />
          </dt>
          <dd>{told}</dd>
        </div>
      ))}
    </dl>
  </section>
)

/** The keys that there are. A page's own stand on the page. */
export const ShortcutSheet = ({ onClose }: { onClose: () => void }) => {
  const places = listPlaces(useSession()).flatMap(({ keys, name }) => (keys ? [[keys, name] as const] : []))
  return (
    <Dialog isOpen title="Keyboard shortcuts" onClose={onClose} size="wide">
      <div className="columns">
        <Part title="Everywhere" entries={everywhere} />
        <Part title="Go to" entries={places} />
        <Part title="In lists" entries={lists} />
      </div>
    </Dialog>
  )
}
