import { useState } from 'react'
import { IconButton } from './button.tsx'

// public/theme.js uses the same name to apply the choice before the first paint.
const storageName = 'noema-theme'

const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const icons = { system: 'system', light: 'sun', dark: 'moon' } as const

const currentTheme = (): Theme => themes.find((theme) => theme === document.documentElement.dataset.theme) ?? 'system'

const applyTheme = (theme: Theme) => {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    if (theme === 'system') localStorage.removeItem(storageName)
    else localStorage.setItem(storageName, theme)
  } catch {
    // Storage is disabled: the choice lasts until the page closes.
  }
}

/** Cycles through the system's theme, light and dark. */
export const ThemeToggle = () => {
  const [theme, setTheme] = useState(currentTheme)
  const choose = () => {
    const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
    applyTheme(next)
    setTheme(next)
  }
  return <IconButton icon={icons[theme]} label={`Theme: ${theme}`} onClick={choose} />
}
