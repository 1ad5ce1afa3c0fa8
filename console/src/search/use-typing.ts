import { type ChangeEvent, type FormEvent, type RefObject, useEffect, useRef } from 'react'
import { navigate, withQuery } from '../address.tsx'
import { textIn } from '../components/field.tsx'
import type { SearchParams } from './search-params.ts'

const pauseMilliseconds = 300

/** The fields that a person types into. */
const typedNames = ['q', 'kinds', 'source', 'since', 'until', 'metadata', 'asOf'] as const

/** The typed fields, as the URL holds them. */
const typedIn = (form: HTMLFormElement) => {
  const data = new FormData(form)
  const readText = (name: string) => textIn(data, name).trim() || undefined
  return Object.fromEntries(typedNames.map((name) => [name, readText(name)]))
}

/** Keeps a field in sync with the URL. Other changes of the URL do not touch the typed text. */
const useFollowing = (
  form: RefObject<HTMLFormElement | null>,
  name: (typeof typedNames)[number],
  { [name]: value }: SearchParams,
) => {
  useEffect(() => {
    const field = form.current?.elements.namedItem(name)
    if (field instanceof HTMLInputElement && field.value.trim() !== value) field.value = value
  }, [form, name, value])
}

/**
 * Writes typed text to the URL, after a pause or at once. Further typing in the same field replaces the entry in the browser's
 * history. Fields follow other changes of the URL.
 */
export const useTyping = (params: SearchParams, searchAgain: () => void) => {
  const form = useRef<HTMLFormElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const lastStep = useRef('')
  useFollowing(form, 'q', params)
  useFollowing(form, 'kinds', params)
  useFollowing(form, 'source', params)
  useFollowing(form, 'since', params)
  useFollowing(form, 'until', params)
  useFollowing(form, 'metadata', params)
  useFollowing(form, 'asOf', params)
  useEffect(() => () => clearTimeout(timer.current), [])
  /** True if anything changed. */
  const write = (field: string): boolean => {
    clearTimeout(timer.current)
    if (!form.current) return false
    const to = withQuery({ ...typedIn(form.current), limit: undefined })
    if (to === withQuery({ limit: undefined })) return false
    navigate(to, { replace: lastStep.current === `${field} ${location.href}` })
    lastStep.current = `${field} ${location.href}`
    return true
  }
  const later = ({ target: { name } }: ChangeEvent<HTMLInputElement>) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => write(name), pauseMilliseconds)
  }
  const now = (event: FormEvent) => {
    event.preventDefault()
    if (!write('')) searchAgain()
    lastStep.current = ''
  }
  return { form, later, now }
}
