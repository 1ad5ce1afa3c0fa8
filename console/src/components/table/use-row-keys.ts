import { type KeyboardEvent as ReactKeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { isShortcut, isTyping } from '../key-guard.ts'
import type { DataTableProps } from './use-data-table.ts'

const steps: Readonly<Record<string, number>> = {
  j: 1,
  ArrowDown: 1,
  k: -1,
  ArrowUp: -1,
  PageDown: 15,
  PageUp: -15,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

/** Opens a row as the table says, or follows its first link. */
export const openRow = <Row>(table: DataTableProps<Row>, row: Row, element: Element | null): void => {
  if (table.onOpen) table.onOpen(row)
  else element?.querySelector<HTMLAnchorElement>('a[href]')?.click()
}

const toggle = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> => {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return next
}

type KeyPress = Pick<KeyboardEvent, 'key' | 'preventDefault'>

type RowKeys<Row> = {
  props: DataTableProps<Row>
  scroller: RefObject<HTMLDivElement | null>
  scrollTo: (index: number) => void
}

/** Moves from row to row by keyboard. Letters work anywhere on the page, other keys inside the table. */
export const useRowKeys = <Row>({ props, scroller, scrollTo }: RowKeys<Row>) => {
  const [active, setActive] = useState(0)
  const { rows = [], toId, ticked, onTick } = props
  const findRow = (index: number) => scroller.current?.querySelector<HTMLElement>(`tr[data-row="${index}"]`) ?? null
  const go = (index: number) => {
    setActive(index)
    scrollTo(index)
    const row = findRow(index)
    row?.focus({ preventScroll: true })
    // A row out of view is drawn by the scroll. A row in view gets the focus at once, before the next key.
    if (!row) requestAnimationFrame(() => findRow(index)?.focus({ preventScroll: true }))
  }
  const findFocused = (): number | undefined => {
    const row = document.activeElement?.closest('tr[data-row]')
    return row && scroller.current?.contains(row) ? Number(row.getAttribute('data-row')) : undefined
  }
  const act = (key: string, index: number, row: Row): boolean => {
    const element = findRow(index)
    if (key === 'Enter' && document.activeElement === element) openRow(props, row, element)
    else if (key === 'x' && ticked && onTick) onTick(toggle(ticked, toId(row)))
    else return false
    return true
  }
  const press = (event: KeyPress, isInside: boolean) => {
    if (rows.length === 0) return
    const current = findFocused()
    const step = steps[event.key]
    if (step !== undefined && (isInside || event.key.length === 1)) {
      event.preventDefault()
      go(current === undefined ? active : Math.max(0, Math.min(rows.length - 1, current + step)))
      return
    }
    const row = current === undefined ? undefined : rows.at(current)
    if (row !== undefined && current !== undefined && act(event.key, current, row)) event.preventDefault()
  }
  const latest = useRef(press)
  latest.current = press
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { target } = event
      const isElsewhere = target instanceof Element && !scroller.current?.contains(target)
      const isFree = target === document.body || (target instanceof Element && target.id === 'main')
      if (!event.defaultPrevented && isElsewhere && isFree && isShortcut(event)) latest.current(event, false)
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [scroller])
  return {
    active: Math.min(active, Math.max(0, rows.length - 1)),
    onKeyDown: (event: ReactKeyboardEvent) => {
      const isChord = event.altKey || event.ctrlKey || event.metaKey
      if (!isChord && !isTyping(event.target)) press(event, true)
    },
  }
}
