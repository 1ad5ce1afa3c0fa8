import { useEffect, useState } from 'react'
import { Icon } from './icon.tsx'

// Browsers allow the clipboard on secure pages only, and a service at home often uses plain HTTP.
const copyByHand = (text: string): boolean => {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'off-screen'
  const parent = document.querySelector('dialog[open]') ?? document.body
  parent.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}

const copy = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyByHand(text)
  }
}

type CopyButtonProps = { text: string; what: string; isQuiet?: boolean; onCopied?: () => void }

/** Copies a text and confirms it. `what` names the text: "the cursor". A quiet one is an icon only. */
export const CopyButton = ({ text, what, isQuiet = false, onCopied }: CopyButtonProps) => {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [isCopied])
  const act = async () => {
    const isDone = await copy(text)
    setCopied(isDone)
    if (isDone) onCopied?.()
  }
  const words = isCopied ? 'Copied' : 'Copy'
  return (
    <button
      type="button"
      className={isQuiet ? 'icon-button' : 'button small'}
      aria-label={`${words} ${what}`}
      title={`${words} ${what}`}
      data-copied={isCopied}
      onClick={() => void act()}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      {!isQuiet && <span className="steady">{words}</span>}
    </button>
  )
}
