// What the page of analytics.js bundles: the library is in CommonJS alone.

import analytics from '@segment/analytics.js-core'
import Segment from '@segment/analytics.js-integration-segmentio'

analytics.use(Segment)
export { analytics }
