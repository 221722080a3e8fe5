import { BROWSER_LIBRARIES } from './browser/libraries.ts'
import { CAPTURED_LIBRARIES } from './captures/libraries.ts'
import { GO_LIBRARIES } from './go/libraries.ts'
import { JAVA_LIBRARIES } from './java/libraries.ts'
import type { Library } from './library.ts'
import { NODE_LIBRARIES } from './node/libraries.ts'
import { PYTHON_LIBRARIES } from './python/libraries.ts'
import { REACT_NATIVE_LIBRARIES } from './react-native/libraries.ts'
import { RUST_LIBRARIES } from './rust/libraries.ts'

/** Every library, in the order of the page. */
export const ALL_LIBRARIES: readonly Library[] = [
  ...NODE_LIBRARIES,
  ...BROWSER_LIBRARIES,
  ...REACT_NATIVE_LIBRARIES,
  ...PYTHON_LIBRARIES,
  ...GO_LIBRARIES,
  ...JAVA_LIBRARIES,
  ...RUST_LIBRARIES,
  ...CAPTURED_LIBRARIES,
]
