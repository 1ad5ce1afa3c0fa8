const names: Readonly<Record<string, string>> = { Mod: /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl' }

/** Keys as they are pressed: `keys="g h"` one after the other, `keys="Mod+K"` together. */
export const Kbd = ({ keys }: { keys: string }) => (
  <span className="keys">
    {keys.split(/[ +]/).map((key) => (
      <kbd key={key}>{names[key] ?? key}</kbd>
    ))}
  </span>
)
