package shop.cart

import scala.collection.mutable.{ArrayBuffer, Map => MutableMap}
import scala.concurrent.Future
import shop.prices._

/** What a shop sells. */
sealed trait Item extends Product with Serializable {
  def name: String
  def price(currency: String): BigDecimal
}

final case class Book(name: String, pages: Int) extends Item {
  override def price(currency: String): BigDecimal = Rates.convert(pages * 0.1, currency)
}

case object Voucher extends Item {
  val name = "voucher"
  def price(currency: String) = BigDecimal(0)
}

object Cart {
  type Prices = Map[String, BigDecimal]
  val MaxItems = 100

  def apply(items: Item*): Cart = new Cart(items.toList)

  implicit class RichItem(val item: Item) extends AnyVal {
    def twice: List[Item] = List(item, item)
  }
}

/**
 * A cart; it never changes.
 *
 * @param items what lies in it
 */
class Cart private (val items: List[Item]) extends AbstractCart[Item](items) with Logging {
  private var seen = MutableMap.empty[String, Int]
  lazy val total: BigDecimal = items.map(_.price("EUR")).sum

  // Adds one.
  def add(item: Item)(implicit ctx: Context): Cart = {
    require(items.size < Cart.MaxItems, "full")
    log.info(s"adding ${item.name}")
    new Cart(item :: items)
  }

  def +(item: Item): Cart = add(item)

  private[cart] def find(name: String): Option[Item] = items.find(_.name == name)

  def checkout(): Future[Receipt] = for {
    receipt <- Payments.charge(total)
    _ <- notifyAll(receipt)
  } yield receipt
}

abstract class AbstractCart[T](all: List[T]) {
  protected def size: Int = all.size
}

package object util {
  def helper(x: Int): Int = x + 1
}
