import { testLibraries } from '../suite.ts'
import { JAVA_LIBRARIES } from './libraries.ts'

testLibraries('Java', JAVA_LIBRARIES)
