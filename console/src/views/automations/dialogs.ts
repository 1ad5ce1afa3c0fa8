import { later } from '../../components/later.tsx'

// The forms are loaded when they are opened.

export const TriggerDialog = later(async () => (await import('./trigger-form.tsx')).TriggerDialog)
export const ScheduleDialog = later(async () => (await import('./schedule-form.tsx')).ScheduleDialog)
