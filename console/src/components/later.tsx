import { type ComponentType, type ReactNode, useEffect, useState } from 'react'

/** A component whose code may be still to come. */
type Part<Props> = { load: () => Promise<ComponentType<Props>>; component: ComponentType<Props> | undefined }

/** The component, once its code has come; throws what it could not come for. */
const usePart = <Props,>(part: Part<Props>): ComponentType<Props> | undefined => {
  const [component, setComponent] = useState(() => part.component)
  const [failure, setFailure] = useState<{ error: unknown }>()
  useEffect(() => {
    const show = (loaded: ComponentType<Props>) => {
      part.component = loaded
      setComponent(() => loaded)
    }
    // Another place may have brought it since this one was drawn.
    if (part.component) show(part.component)
    else part.load().then(show, (error: unknown) => setFailure({ error }))
  }, [part])
  if (failure) throw failure.error
  return component
}

/**
 * A component whose code is loaded when it is first shown, with `meanwhile` in its place. React's own
 * `lazy` shows what has come no sooner than 300 milliseconds after what stood in its place, which every page would wait for.
 */
export const later = <Props extends object>(load: () => Promise<ComponentType<Props>>) => {
  const part: Part<Props> = { load, component: undefined }
  return ({ meanwhile, ...props }: Props & { meanwhile?: ReactNode }) => {
    const Component = usePart(part)
    return Component ? <Component {...(props as unknown as Props)} /> : meanwhile
  }
}
