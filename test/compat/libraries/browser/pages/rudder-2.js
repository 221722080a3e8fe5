// rudder-sdk-js

import * as client from '/node_modules/rudder-sdk-js/dist/npm/index.es.js'
import { loadWith } from './rudder.js'

export const load = (settings) => loadWith(client, settings)

export { optionsOf, visit } from './rudder.js'
