import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { loadPart } from '../parts/part.ts'

/** A component whose code may not be loaded yet. */
type Part<Props> = { load: () => Promise<ComponentType<Props>>; component: ComponentType<Props> | undefined }

/** The component once its code is loaded. Throws if it cannot be loaded. */
const usePart = <Props,>(part: Part<Props>): ComponentType<Props> | undefined => {
  const [component, setComponent] = useState(() => part.component)
  const [failure, setFailure] = useState<{ error: unknown }>()
  useEffect(() => {
    loadPart(part.load).then(
      (loaded) => {
        part.component = loaded
        setComponent(() => loaded)
      },
      (error: unknown) => setFailure({ error }),
    )
  }, [part])
  if (failure) throw failure.error
  return component
}

/**
 * A component whose code is loaded when it is first shown, with `meanwhile` in its place. React's own `lazy` waits at least 300
 * milliseconds before it replaces a fallback, which would delay every page.
 */
export const later = <Props extends object>(load: () => Promise<ComponentType<Props>>) => {
  const part: Part<Props> = { load, component: undefined }
  return ({ meanwhile, ...props }: Props & { meanwhile?: ReactNode }) => {
    const Component = usePart(part)
    return Component ? <Component {...(props as unknown as Props)} /> : meanwhile
  }
}
