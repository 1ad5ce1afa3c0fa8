// The sign-in pages need neither the router nor the SDK, and signed-in people need none of the forms.

/** The pages behind the sign-in, and the SDK. */
export const importApp = async () => {
  void import('@noema/sdk').catch(() => undefined)
  return (await import('./app/app.tsx')).App
}

/** The pages before the sign-in. */
export const importEntry = async () => (await import('./views/entry/entry-views.tsx')).EntryViews
