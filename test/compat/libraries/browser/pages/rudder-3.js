// @rudderstack/analytics-js

import { loadWith } from './rudder.js'

const MODULE = '/node_modules/@rudderstack/analytics-js/dist/npm/modern/bundled/esm/index.mjs'

export async function load(settings) {
  const { RudderAnalytics } = await import(MODULE)
  return loadWith(new RudderAnalytics(), settings)
}

export { optionsOf, visit } from './rudder.js'
