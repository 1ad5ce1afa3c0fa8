// Starts the reference. It calls the origin that it was opened from, whatever the service is called elsewhere.
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
follow()
dark.addEventListener('change', follow)
const { base } = document.getElementById('reference').dataset
void fetch(`${base}/v1/openapi.json`)
  .then((response) => response.json())
  .then((spec) => {
    SwaggerUIBundle({
      spec: { ...spec, servers: [{ url: location.origin + base }] },
      dom_id: '#reference',
      deepLinking: true,
      docExpansion: 'none',
      defaultModelsExpandDepth: -1,
      filter: true,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      validatorUrl: null,
    })
  })
