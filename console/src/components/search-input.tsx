import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Icon } from './icon.tsx'

type SearchInputProps = {
  label: string
  value: string
  /** Called a moment after the last key. */
  onChange: (text: string) => void
  placeholder?: string
}

const pauseMilliseconds = 200

/** Filters a list while the person types. `/` focuses the first one on the page, Escape clears it. */
export const SearchInput = ({ label, value, onChange, placeholder }: SearchInputProps) => {
  const router = useRouter({ warn: false })
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new text restarts the delay
  useEffect(() => {
    if (text === value) return
    // The location is the new page's as soon as a link is clicked, while this one is still shown.
    const page = router?.history.location.pathname
    const notify = () => router?.history.location.pathname === page && onChange(text)
    const timer = setTimeout(notify, pauseMilliseconds)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div className="search-input">
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder ?? label}
        value={text}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key }) => key === 'Escape' && setText('')}
      />
    </div>
  )
}
