// @segment/snippet, which loads analytics.min.js, and then the settings, from the same host.

export async function load() {
  const script = document.createElement('script')
  script.src = '/snippet.js'
  document.head.append(script)
  await new Promise((resolve) => script.addEventListener('load', resolve))
  await new Promise((resolve) => window.analytics.ready(resolve))
  return window.analytics
}

export { optionsOf, visit } from './analytics-next.js'
