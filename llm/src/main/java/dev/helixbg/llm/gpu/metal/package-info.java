/**
 * Metal from Java: typed message sends to the Objective-C runtime through the foreign function API,
 * and thin owners of the Metal objects that compute needs. Knows nothing of models.
 */
package dev.helixbg.llm.gpu.metal;
