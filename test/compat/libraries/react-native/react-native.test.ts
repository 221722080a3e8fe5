import { testLibraries } from '../suite.ts'
import { REACT_NATIVE_LIBRARIES } from './libraries.ts'

testLibraries(REACT_NATIVE_LIBRARIES)
