import { testLibraries } from '../suite.ts'
import { BROWSER_LIBRARIES } from './libraries.ts'

testLibraries('Browser', BROWSER_LIBRARIES)
