/** From this age on the last backup counts as old: where one is made each night, one is missing by then. */
export const oldBackupSeconds = 2 * 86_400
