/** People and keys that made something or changed it last, and the organizations where they did. */
export type Made = { makers: readonly string[]; organizationIds: readonly string[] }
