// The outbox of what organizations are told of. Whoever does something worth telling writes an announcement in the same
// transaction: it is told if that commits, and only then. Who listens is found out afterwards, by who takes them.

export { type Announcement, announce, selectAnnouncements, takeAnnouncement } from './queries.ts'
