// rudder-sdk-js

import { loadWith } from './rudder.js'

export async function load(settings) {
  return loadWith(await import('/node_modules/rudder-sdk-js/dist/npm/index.es.js'), settings)
}

export { optionsOf, visit } from './rudder.js'
