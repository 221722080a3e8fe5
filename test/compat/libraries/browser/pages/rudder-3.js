// @rudderstack/analytics-js

import { RudderAnalytics } from '/node_modules/@rudderstack/analytics-js/dist/npm/modern/bundled/esm/index.mjs'
import { loadWith } from './rudder.js'

export const load = (settings) => loadWith(new RudderAnalytics(), settings)

export { optionsOf, visit } from './rudder.js'
