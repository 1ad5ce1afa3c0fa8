import { expect, test } from 'vitest'
import { isDatabaseUrl, listHostUrls, toPlace } from './database-url.ts'

test('a database URL names one host or several, each with its own port', () => {
  expect(listHostUrls('postgres://me:secret@a:5432,[::1],c:6000/noema?sslmode=require')).toEqual([
    'postgres://me:secret@a:5432/noema?sslmode=require',
    'postgres://me:secret@[::1]/noema?sslmode=require',
    'postgres://me:secret@c:6000/noema?sslmode=require',
  ])
  expect(listHostUrls('postgres://me@localhost/?host=/tmp/sockets')).toEqual([
    'postgres://me@localhost/?host=/tmp/sockets',
  ])
})

test.each(['mysql://a/noema', 'postgres://a,/noema', 'postgres://a:port/noema', 'a,b', ''])('%j is none', (text) => {
  expect(isDatabaseUrl(text)).toBe(false)
})

test('an operator sees the hosts of a database, and never its credentials', () => {
  expect(toPlace('postgres://me:secret@a:5432,b/noema?password=secret')).toBe('PostgreSQL a,b/noema')
})
