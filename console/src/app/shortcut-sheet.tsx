import { Dialog } from '../components/dialog.tsx'
import { Kbd } from '../components/kbd.tsx'
import { listPages } from '../navigation.ts'
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
  ['Esc', 'Close the open dialog or menu'],
] as const

type Entry = readonly [keys: string, words: string]

const Part = ({ title, entries }: { title: string; entries: readonly Entry[] }) => (
  <section>
    <h3>{title}</h3>
    <dl className="shortcuts">
      {entries.map(([keys, words]) => (
        <div key={keys}>
          <dt>
            <Kbd keys={keys} />
          </dt>
          <dd>{words}</dd>
        </div>
      ))}
    </dl>
  </section>
)

/** All shortcuts. A page shows its own. */
export const ShortcutSheet = ({ onClose }: { onClose: () => void }) => {
  const pages = listPages(useSession()).flatMap(({ keys, name }) => (keys ? [[keys, name] as const] : []))
  return (
    <Dialog isOpen title="Keyboard shortcuts" onClose={onClose} size="wide">
      <div className="columns">
        <Part title="Everywhere" entries={everywhere} />
        <Part title="Go to" entries={pages} />
        <Part title="In lists" entries={lists} />
      </div>
    </Dialog>
  )
}
