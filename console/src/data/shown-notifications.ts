/** The filter of the notifications. */
export const shownNotifications = ['open', 'unread', 'resolved', 'all'] as const
export type ShownNotifications = (typeof shownNotifications)[number]
