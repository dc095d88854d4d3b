@file:JvmName("Carts")

package shop.cart

import kotlin.math.max
import kotlinx.coroutines.flow.Flow as Stream
import shop.prices.*

/** How long a cart lives, in hours. */
const val CART_HOURS = 24

private val log = Logger("cart")

typealias Prices = Map<String, Int>

/**
 * What a shop sells.
 */
interface Item {
    val name: String

    fun price(): Int
}

data class Book(override val name: String, private val cents: Int) : Item {
    override fun price(): Int = cents
}

enum class State { OPEN, PAID }

sealed class Event {
    object Opened : Event()
    class Added(val item: Item) : Event()
}

@Serializable
abstract class Store<T : Any>(protected val prices: Prices) : Base<T>(prices), Closeable {
    abstract fun find(id: Long): T?

    override fun close() {
        prices.forEach { println(it) }
    }
}

open class Cart(private val store: Store<Item>) {
    private val items = mutableListOf<Item>()
    var state: State = State.OPEN
        private set

    init {
        log.info("new cart")
    }

    constructor() : this(MemoryStore())

    // Adds an item; the same twice counts twice.
    suspend fun add(item: Item, count: Int = 1): Cart {
        repeat(count) { items.add(item) }
        notifyAll(Event.Added(item))
        return this
    }

    internal inline fun <reified R> pick(): R? = items.firstOrNull { it is R } as R?

    private fun total() = max(0, items.sumOf { it.price() })

    companion object Factory {
        fun create(): Cart = Cart()
    }
}

object Registry {
    val carts = ArrayList<Cart>()
}

fun String.toCents(): Int = (this.toDouble() * 100).toInt()

infix operator fun Cart.plus(other: Cart): Cart {
    val all = Cart.create()
    return all
}

fun interface Listener {
    fun onEvent(event: Event)
}

annotation class Internal
