const names: Readonly<Record<string, string>> = { Mod: /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl' }

/** Keys: `keys="g h"` are pressed one after the other, `keys="Mod+K"` together. */
export const Kbd = ({ keys }: { keys: string }) => (
  <span className="keys">
    {keys.split(/[ +]/).map((key) => (
      <kbd key={key}>{names[key] ?? key}</kbd>
    ))}
  </span>
)
