import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Combobox } from '../components/combobox.tsx'
import { itemNameQuery } from '../data/item-names.ts'
import { type FoundItem, itemSearchQuery } from '../data/item-search.ts'
import { useSession } from '../session/session.tsx'

type ItemPickerProps = {
  handle: string
  type: 'record' | 'document'
  label: string
  value: Pick<FoundItem, 'id' | 'kind'> | undefined
  onChange: (item: FoundItem | undefined) => void
  hint?: string
  error?: string | undefined
  isLabelHidden?: boolean
  placeholder?: string
}

const pauseMilliseconds = 250

/** The typed text, a moment after the last key. */
const useRested = (text: string): string => {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), pauseMilliseconds)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}

const toChoice = ({ id, name, kind }: FoundItem) => ({
  value: id,
  name,
  detail: [kind, name === id ? undefined : id].filter(Boolean).join(' · '),
})

/** Chooses a record or a document by its name, by words in it, or by its id. */
export const ItemPicker = ({ handle, type, value, onChange, ...labels }: ItemPickerProps) => {
  const session = useSession()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<FoundItem>()
  const known = useQuery({
    ...itemNameQuery(session, handle, { type, id: value?.id ?? '' }),
    enabled: value !== undefined && value.id !== chosen?.id,
  })
  const shown = value && (value.id === chosen?.id ? chosen : { ...value, name: known.data ?? value.id })
  // The input shows the name of what is chosen: that is nothing to search for.
  const rested = useRested(text === shown?.name ? '' : text.trim())
  const { data = [] } = useQuery(itemSearchQuery(session, handle, type, rested))
  const items = shown ? [shown, ...data.filter(({ id }) => id !== shown.id)] : data
  return (
    <Combobox
      {...labels}
      items={items.map(toChoice)}
      value={value?.id}
      onType={setText}
      onChange={(id) => {
        const item = items.find((one) => one.id === id)
        setChosen(item)
        onChange(item)
      }}
    />
  )
}
